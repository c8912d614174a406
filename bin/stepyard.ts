import { createApp } from "../lib/app.ts";
import { addChecks } from "../lib/checks.ts";

addChecks(createApp().app);
