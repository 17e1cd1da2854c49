// What a state shows and says, a line for each part: texts, controls with their names and states, the cube's faces.
// The body of a function; it gives the lines.

const tidy = (text) => text.replace(/\s+/g, " ").trim();
const isThere = (part) => part.checkVisibility({ visibilityProperty: true });
const lines = [];
let text = "";

function end() {
  if (tidy(text)) lines.push(tidy(text));
  text = "";
}

/** The states that a control has, as a screen reader tells them. */
function statesOf(part) {
  const found = [];
  for (const [attribute, value] of Object.entries({ "aria-disabled": "true", "aria-invalid": "true", "aria-current": "true", "aria-busy": "true" })) {
    if (part.getAttribute(attribute) === value) found.push(attribute.slice(5));
  }
  for (const attribute of ["aria-pressed", "aria-checked", "aria-valuetext"]) {
    if (part.hasAttribute(attribute)) found.push(`${attribute.slice(5)}: ${part.getAttribute(attribute)}`);
  }
  if (part.matches(".main")) found.push("main");
  if (part.placeholder && !part.value) found.push(`placeholder: ${part.placeholder}`);
  if (part.hasAttribute("aria-describedby")) found.push(`described: ${tidy(document.getElementById(part.getAttribute("aria-describedby")).textContent)}`);
  return found;
}

function control(part) {
  const shown = part.matches("input") ? part.value : tidy(part.selectedOptions?.[0].text ?? part.innerText);
  const name = part.ariaLabel ?? (part.labels?.[0] ? tidy(part.labels[0].textContent) : "");
  const what = part.getAttribute("role") ?? (part.matches("input") ? part.type : part.localName);
  lines.push([`[${what}]`, shown, name && name !== shown && `(${name})`, ...statesOf(part).map((state) => `<${state}>`)].filter(Boolean).join(" "));
}

/** The letters in one line, then the names of those that are more than a letter and its place. */
function cube(part) {
  const faces = [...part.querySelectorAll(".face")].filter(isThere);
  lines.push(`faces: ${faces.map((face) => (face.ariaHidden ? `-${tidy(face.innerText)}` : tidy(face.innerText))).join(" ")}`);
  for (const { ariaLabel } of faces) if (ariaLabel && !/^\w+, [\w ]+ row \d column \d$/.test(ariaLabel)) lines.push(`face ${ariaLabel}`);
}

function walk(part) {
  for (const child of part.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) text += child.data;
    if (child.nodeType !== Node.ELEMENT_NODE || child.matches("script, noscript, svg") || !isThere(child)) continue;
    const isWithin = getComputedStyle(child).display.startsWith("inline") && !child.matches("button, input, select");
    if (!isWithin) end();
    if (child.id === "cube") cube(child);
    else if (child.matches("button, input, select")) control(child);
    else {
      const name = [child.getAttribute("role"), child.ariaLabel && `(${child.ariaLabel})`, ...statesOf(child).map((state) => `<${state}>`)].filter(Boolean).join(" ");
      if (name) {
        end();
        lines.push(`${name}:`);
      }
      walk(child);
    }
    if (!isWithin) end();
  }
}

walk(document.body);
end();
return lines;
