/**
 * The lock of a file, for all who share it. The library listens to signals from its import on, so it is loaded at the
 * start: a listener that is added after a `process.once` of the program would be the only one left and would end the
 * process.
 */
export { lock } from "proper-lockfile";
