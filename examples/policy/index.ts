import { PolicyPack } from "@pulumi/policy";
import { forceDestroy } from "./forceDestroy";
import { knownTypes } from "./knownTypes";
import { loopItems } from "./loopItems";
import { markedRows } from "./markedRows";
import { startUrlHosts } from "./startUrlHosts";

new PolicyPack("webextract", {
  enforcementLevel: "mandatory",
  policies: [knownTypes, forceDestroy, startUrlHosts, markedRows, loopItems],
});
