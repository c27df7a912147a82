// A position as a file of its own: the drawn board with its styles written into it, and what stands beside it as text.

import type { View } from "../api";
import { viewLines } from "../words/facts";

const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
];
/** What is drawn for whoever chooses, and not part of the position. */
const FOR_CHOOSING = ".focus, .selected, .target, .target-ring, .movable";
const WIDTH = 640;
const LINE = 22;

/** `colours` are those of the page, so that a dark page gives a dark picture. */
export function positionSvg(view: View, drawn: SVGSVGElement | undefined, title: string, colours: { paper: string; ink: string }): string {
  const board = drawn ? standalone(drawn) : null;
  const box = drawn?.viewBox.baseVal;
  const boardHeight = box ? (WIDTH * box.height) / box.width : 0;
  const lines = viewLines(view);
  const height = Math.ceil(boardHeight + 40 + LINE * (lines.length + 1));
  const texts = lines.map((line, i) => `<text x="16" y="${Math.ceil(boardHeight) + 56 + LINE * i}" font-size="15">${escapeXml(line)}</text>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" fill="${colours.ink}">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="${colours.paper}"/>`,
    board ? `<svg x="0" y="8" width="${WIDTH}" height="${boardHeight}" viewBox="${box!.x} ${box!.y} ${box!.width} ${box!.height}">${board}</svg>` : "",
    `<text x="16" y="${Math.ceil(boardHeight) + 34}" font-size="17" font-weight="bold">${escapeXml(title)}</text>`,
    ...texts,
    "</svg>",
  ].join("\n");
}

/** The inside of a drawn picture with the styles that it has on the page. */
function standalone(drawn: SVGSVGElement): string {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const [from, to] = [drawn.querySelectorAll<SVGElement>("*"), copy.querySelectorAll<SVGElement>("*")];
  from.forEach((element, i) => {
    const [style, target] = [getComputedStyle(element), to[i]!];
    if (element.matches(FOR_CHOOSING)) {
      target.remove();
      return;
    }
    for (const name of [...target.getAttributeNames()]) {
      if (/^(class|style|tabindex|role|aria-|data-)/.test(name)) target.removeAttribute(name);
    }
    if (element.tagName === "g") return;
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value !== "") target.setAttribute(name, value);
    }
  });
  return copy.innerHTML.replaceAll("<!---->", "");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
