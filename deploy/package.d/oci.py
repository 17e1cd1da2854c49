#!/usr/bin/env python3
"""oci.py ROOT.tar USER VERSION ARCHITECTURE EPOCH IMAGE.tar: writes an OCI image layout around one layer.

Specification: https://github.com/opencontainers/image-spec. The same input gives the same bytes."""
import datetime
import gzip
import hashlib
import io
import json
import shutil
import sys
import tarfile
import tempfile

MEDIA = "application/vnd.oci.image."


def digest(file):
    file.seek(0)
    return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def json_file(value):
    return io.BytesIO(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())


def main(root, user, version, architecture, epoch, image):
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    with open(root, "rb") as layer, tempfile.TemporaryFile() as packed, tarfile.open(
        image, "w", format=tarfile.PAX_FORMAT
    ) as out:
        with gzip.GzipFile("", "wb", 6, packed, mtime=0) as zipped:
            shutil.copyfileobj(layer, zipped, 1 << 20)

        def add(name, file):
            file.seek(0, io.SEEK_END)
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = file.tell(), epoch, 0o644
            file.seek(0)
            out.addfile(entry, file)
            return entry.size

        def add_blob(file, kind):
            name = digest(file)
            size = add("blobs/" + name.replace(":", "/"), file)
            return {"mediaType": MEDIA + kind, "digest": name, "size": size}

        layer_blob = add_blob(packed, "layer.v1.tar+gzip")
        config = add_blob(
            json_file(
                {
                    "created": created,
                    "architecture": architecture,
                    "os": "linux",
                    "config": {
                        "User": f"{user}:{user}",
                        "Entrypoint": ["/usr/bin/cubistd"],
                        "Cmd": ["run"],
                        "WorkingDir": "/var/lib/cubist",
                        "StopSignal": "SIGTERM",
                        "Labels": {
                            "org.opencontainers.image.title": "cubistd",
                            "org.opencontainers.image.version": version,
                            "org.opencontainers.image.licenses": "MIT",
                        },
                    },
                    "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
                    "history": [{"created": created, "created_by": "deploy/package"}],
                }
            ),
            "config.v1+json",
        )
        manifest = add_blob(
            json_file(
                {
                    "schemaVersion": 2,
                    "mediaType": MEDIA + "manifest.v1+json",
                    "config": config,
                    "layers": [layer_blob],
                }
            ),
            "manifest.v1+json",
        )
        manifest["annotations"] = {"org.opencontainers.image.ref.name": version}
        manifest["platform"] = {"architecture": architecture, "os": "linux"}
        add(
            "index.json",
            json_file(
                {
                    "schemaVersion": 2,
                    "mediaType": MEDIA + "index.v1+json",
                    "manifests": [manifest],
                }
            ),
        )
        add("oci-layout", json_file({"imageLayoutVersion": "1.0.0"}))


if __name__ == "__main__":
    main(*sys.argv[1:5], int(sys.argv[5]), sys.argv[6])
