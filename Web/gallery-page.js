// Every state of the page on one page, each in a frame of a telephone's size.

import { states } from "./gallery.js";

for (const [name, { title }] of Object.entries(states)) {
  const figure = document.createElement("figure");
  const frame = Object.assign(document.createElement("iframe"), { src: `index.html?state=${name}`, title, width: 360, height: 740, loading: "lazy" });
  const caption = document.createElement("figcaption");
  const link = Object.assign(document.createElement("a"), { href: `index.html?state=${name}`, textContent: title });
  caption.append(link);
  figure.append(frame, caption);
  document.getElementById("frames").append(figure);
}
