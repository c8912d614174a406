import { createWakeups } from "../adapters/system/wakeups.ts";

/**
 * Where functions share a process with their host, the host wakes whoever follows a session that it saw
 * written. On AWS nobody does, and readers look again after their pause.
 */
export const wakeups = createWakeups();
