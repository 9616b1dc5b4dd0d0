/**
 * Builds elements without markup: text is always text, so nothing that a run extracted can become an element or a script.
 *
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Child | readonly Child[]} Children
 * @typedef {string | number | boolean | undefined | ((event: any) => void)} Property
 */

const svgNamespace = "http://www.w3.org/2000/svg";

/** The handlers that {@link patch} carries over to an element that stays. */
const handlers = /** @type {const} */ (["onclick", "onchange", "onsubmit"]);

/** Attributes that are read to people. */
const labels = ["aria-label", "data-label", "title"];

/**
 * An element. A property that is a function is a handler, `value` and `checked` are those of a form control, and all others are attributes.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Property>} [properties]
 * @param {...Children} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, properties, children);
  return element;
}

/**
 * An element of SVG.
 *
 * @param {string} tag
 * @param {Record<string, Property>} [properties]
 * @param {...Children} children
 * @returns {SVGElement}
 */
export function svg(tag, properties = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(svgNamespace, tag));
  fill(element, properties, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, Property>} properties
 * @param {readonly Children[]} children
 */
function fill(element, properties, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : visible(String(child)));
  }
  // After the children: a select takes a value only if it has the option.
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function" || name === "value" || name === "checked") Reflect.set(element, name, value);
    else
      element.setAttribute(name, value === true ? "" : labels.includes(name) ? visible(String(value)) : String(value));
  }
}

/**
 * Text in which characters that hide, or that change the order of others, are written as escapes, such as `\\u202e`. Joiners stay, because words of
 * many languages need them.
 *
 * @param {string} text
 */
export function visible(text) {
  return text
    .replaceAll("\r\n", "\n")
    .replace(/[^\P{Cc}\t\n]|[^\P{Cf}\u200c\u200d]|[\p{Cs}\u2028\u2029]/gu, (character) =>
      Array.from(
        { length: character.length },
        (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
      ).join(""),
    );
}

/**
 * Makes the content of `parent` equal to that of `fresh`, and keeps the elements that stay: focus, selection, scroll positions and open
 * details survive an update. Children with `data-key` are found again by it.
 *
 * @param {Element} parent
 * @param {Element | DocumentFragment} fresh
 */
export function patch(parent, fresh) {
  const wanted = [...fresh.childNodes];
  const keys = new Set(wanted.map(keyOf));
  /** @type {ChildNode | null} */
  let current = parent.firstChild;
  for (const node of wanted) {
    while (current !== null && keyOf(current) !== undefined && !keys.has(keyOf(current))) current = removed(current);
    if (current !== null && isSame(current, node)) {
      update(current, node);
      current = current.nextSibling;
    } else parent.insertBefore(node, current);
  }
  while (current !== null) current = removed(current);
}

/** @param {ChildNode} node */
function removed(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof Element ? (node.getAttribute("data-key") ?? undefined) : undefined;
}

/**
 * @param {Node} one
 * @param {Node} other
 */
function isSame(one, other) {
  return one.nodeName === other.nodeName && keyOf(one) === keyOf(other);
}

/**
 * @param {Node} node
 * @param {Node} fresh
 */
function update(node, fresh) {
  if (!(node instanceof Element && fresh instanceof Element)) {
    if (node.nodeValue !== fresh.nodeValue) node.nodeValue = fresh.nodeValue;
    return;
  }
  // What the user is filling in stays as it is.
  if (node.hasAttribute("data-own") && fresh.hasAttribute("data-own")) return;
  for (const name of node.getAttributeNames()) {
    // The user opens and closes details.
    if (!fresh.hasAttribute(name) && name !== "open") node.removeAttribute(name);
  }
  for (const name of fresh.getAttributeNames()) {
    const value = fresh.getAttribute(name) ?? "";
    if (node.getAttribute(name) !== value && name !== "open") node.setAttribute(name, value);
  }
  for (const name of handlers) Reflect.set(node, name, Reflect.get(fresh, name));
  patch(node, fresh);
  if (isShown(node) && isShown(fresh) && node !== document.activeElement) node.value = fresh.value;
}

/**
 * Whether it is a control that shows a value of the emulator. The others belong to the user.
 *
 * @param {Element} element
 * @returns {element is HTMLInputElement | HTMLSelectElement}
 */
function isShown(element) {
  return element.hasAttribute("data-shown");
}

/**
 * A table in a region that scrolls by keyboard. On a narrow screen each row is a card, in which the cells have the names of their columns.
 *
 * @param {{ name: string, head: readonly Children[], rows: readonly Element[], empty?: string, class?: string }} options
 */
export function table({ name, head, rows, empty = "None.", class: className }) {
  // The same element in both cases, so that an update keeps what is beside it.
  if (rows.length === 0) return h("div", { class: "scroll" }, h("p", { class: "empty" }, empty));
  const titles = head.map((title) => h("th", { scope: "col" }, title));
  for (const row of rows) {
    [...row.children].forEach((cell, index) => {
      const title = titles[index];
      cell.setAttribute("data-label", title?.textContent ?? "");
      if (cell.classList.contains("number")) title?.classList.add("number");
    });
  }
  return h(
    "div",
    { class: "scroll", role: "region", tabindex: 0, "aria-label": name },
    h("table", { class: className, "aria-label": name }, h("thead", {}, h("tr", {}, titles)), h("tbody", {}, rows)),
  );
}

/**
 * Names and values.
 *
 * @param {readonly (readonly [string, Children])[]} pairs
 */
export function facts(pairs) {
  return h(
    "dl",
    { class: "facts" },
    pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}
