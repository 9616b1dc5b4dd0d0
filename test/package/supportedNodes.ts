/** The lowest supported Node.js of each major version that the tests run on: what `engines` in package.json allows. */
export const lowestNodes = ["20.19.0", "22.12.0", "24.0.0"];

/** The newest Node.js of each of these major versions. */
export const newestNodes = ["20", "22", "24"];
