import { h } from "./dom.mjs";

/** @import { Children, Property } from "./dom.mjs" */

/**
 * A handler of `onsubmit` that does work with the fields of the form.
 *
 * @param {(fields: FormData, form: HTMLFormElement) => unknown} work
 */
export function withFields(work) {
  return (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    return work(new FormData(form), form);
  };
}

/**
 * A form that becomes empty after its work is done.
 *
 * @param {(fields: FormData) => Promise<unknown>} submit
 * @param {Record<string, Property>} properties
 * @param {...Children} content
 */
export function form(submit, properties, ...content) {
  const onsubmit = withFields(async (fields, target) => {
    if ((await submit(fields)) !== undefined) target.reset();
  });
  return h("form", { "data-own": true, onsubmit, ...properties }, ...content);
}

/**
 * A button that acts at once.
 *
 * @param {string} text
 * @param {() => void} onclick
 * @param {string} [of] what it acts on, for those who do not see what is beside it
 */
export function button(text, onclick, of) {
  return h("button", { type: "button", onclick }, text, of !== undefined && h("span", { class: "hidden" }, ` ${of}`));
}

/**
 * A select.
 *
 * @param {Record<string, Property>} properties
 * @param {readonly string[]} values
 * @param {Record<string, string>} [texts] of values that are shown in other words
 */
export function choice(properties, values, texts = {}) {
  const options = values.map((value) => h("option", { value }, texts[value] ?? value));
  return h("select", properties, options);
}
