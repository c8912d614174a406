/** True when arrays and objects in this JSON text nest deeper than `levels` (`[]` is one level, `[[]]` two). */
export function nestsDeeperThan(json: string, levels: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < json.length; index += 1) {
    const char = json[index];
    if (quoted) {
      if (char === "\\") index += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "[" || char === "{") {
      depth += 1;
      if (depth > levels) return true;
    } else if (char === "]" || char === "}") depth -= 1;
  }
  return false;
}
