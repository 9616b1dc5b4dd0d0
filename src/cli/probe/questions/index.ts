import type { Question } from "../finding";
import { actionShapes } from "./actionShapes";
import { actions } from "./actions";
import { connection } from "./connection";
import { credentials } from "./credentials";
import { errors } from "./errors";
import { offsets } from "./offsets";
import { pageSizes } from "./pageSizes";
import { refreshPath } from "./refreshPath";
import { subtasks } from "./subtasks";

/** All questions, in the order in which they are asked. */
export const questions: readonly Question[] = [
  errors,
  credentials,
  refreshPath,
  actions,
  actionShapes,
  offsets,
  pageSizes,
  subtasks,
  connection,
];
