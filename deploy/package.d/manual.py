#!/usr/bin/env python3
"""manual.py SECTION DATE <DUMP: writes a manual page in mdoc, from the output of
`--experimental-dump-help`: the same definitions as those of `--help`."""
import json
import re
import sys

NAMES = {"long": "--", "short": "-", "longWithSingleDash": "-"}


def escaped(text):
    """A text without a meaning for roff. A line that begins with a dot or a quote would be a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def word(text):
    """A text as one argument of a macro; a name of a macro stays a word."""
    return '"\\&' + escaped(text).replace('"', '""') + '"'


def paragraphs(text):
    """The lines of a discussion: blocks with an indent are examples and stay as they are."""
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines.append(".Pp")
        shown = False
        for line in block.split("\n"):
            if line.startswith("  ") != shown:
                lines.append(".Ed" if shown else ".Bd -literal -offset indent")
                shown = not shown
            lines.append(escaped(line[2:] if shown else line))
        if shown:
            lines.append(".Ed")
    return lines


def names(argument):
    """All spellings of an option: `-h, --help`."""
    given = argument.get("names", [])
    spelled = [NAMES[name["kind"]] + name["name"] for name in given]
    text = ", ".join(sorted(spelled, key=len))
    if argument["kind"] == "option":
        text += f" {argument.get('valueName', 'value')}"
    return text


def usage(argument):
    if argument["kind"] == "positional":
        text = argument.get("valueName", "argument")
    else:
        preferred = argument.get("preferredName") or argument["names"][0]
        text = NAMES[preferred["kind"]] + preferred["name"]
        if argument["kind"] == "option":
            text += f" {argument.get('valueName', 'value')}"
    if argument.get("isRepeating"):
        text += " ..."
    return f"[{text}]" if argument.get("isOptional") else text


def shown(command):
    return [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]


def is_general(argument):
    """Whether every command has it: once on the page is enough."""
    return [n["name"] for n in argument.get("names", [])] in (["version"], ["h", "help"], ["help"])


def arguments(command):
    own = [a for a in shown(command) if not is_general(a)]
    if not own:
        return []
    lines = [".Bl -tag -width Ds"]
    for argument in own:
        isPlace = argument["kind"] == "positional"
        lines.append(".It " + word(argument.get("valueName", "") if isPlace else names(argument)))
        text = " ".join(argument.get("abstract", "").split())
        default = argument.get("defaultValue")
        if default:
            text += f" (default: {default})"
        values = argument.get("allValues")
        if values:
            text += " One of: " + ", ".join(values) + "."
        lines.append(escaped(text.strip()))
        if argument.get("discussion"):
            lines += paragraphs(argument["discussion"])
    return lines + [".El"]


def commands(command, path):
    """A part for each command below this one."""
    lines = []
    for child in command.get("subcommands", []):
        if not child.get("shouldDisplay", True) or child["commandName"] == "help":
            continue
        own = path + [child["commandName"]]
        lines.append(".Ss " + word(" ".join(own)))
        lines.append(escaped(child.get("abstract", "")))
        deeper = [c for c in child.get("subcommands", []) if c["commandName"] != "help"]
        parts = [usage(a) for a in shown(child) if not is_general(a)]
        if deeper:
            parts.append("command ...")
        lines += [".Bd -literal -offset indent", escaped(" ".join(own + parts)), ".Ed"]
        lines += arguments(child)
        lines += paragraphs(child["discussion"]) if child.get("discussion") else []
        lines += commands(child, own)
    return lines


def page(dump, section, date):
    command = dump["command"]
    name = command["commandName"]
    abstract = command.get("abstract", "").rstrip(".")
    lines = [
        f".Dd {date}", f".Dt {name.upper()} {section}", ".Os", ".Sh NAME", f".Nm {name}",
        f".Nd {escaped(abstract[:1].lower() + abstract[1:])}", ".Sh SYNOPSIS", f".Nm {name}",
        ".Ar command", ".Op Ar argument ...", ".Sh DESCRIPTION", escaped(command.get("abstract", "")),
    ]
    lines += paragraphs(command.get("discussion", ""))
    lines += [
        ".Pp", "Every command has",
        ".Fl Fl help ,", "which shows its part of this page.",
        ".Sh COMMANDS",
    ]
    lines += commands(command, [name])
    return "\n".join(line for line in lines if line.strip()) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin), sys.argv[1], sys.argv[2]))
