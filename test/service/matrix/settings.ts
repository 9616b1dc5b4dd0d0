import type { Setting } from "./world";

const withoutLotNo: Setting = {
  text: "`startsWithoutLotNo: true`, and reads of all rows in place of a batch",
  onEngine: "`webextract:startsWithoutLotNo`",
  options: { startsWithoutLotNo: true },
};

/** The settings for behaviours that the client cannot detect, by `name=value`. */
export const settingFor: Record<string, Setting> = {
  "refreshPath=tokenRefresh": {
    text: '`refreshPath: "/token/refresh"`',
    onEngine: "`webextract:refreshPath`",
    options: { refreshPath: "/token/refresh" },
  },
  "credentialAcceptance=bearerOnUpload": {
    text: '`credentials: "bearer"`',
    onEngine: "`webextract:credentials`",
    options: { credentials: "bearer" },
  },
  "startResponse=null": withoutLotNo,
  "startResponse=true": withoutLotNo,
  "statusWords=unknown": {
    text: "the service's own word for finished, in the caller's wait",
    onEngine: "`webextract:statuses`",
    life: { finished: ["finished", "concluded"] },
  },
  "splitting=never": {
    text: "a wait for rows that settle, in place of one for subtasks",
    onEngine: '`finishedWhen: "rowsSettled"`',
    life: { finishedWhen: "rowsSettled" },
  },
};
