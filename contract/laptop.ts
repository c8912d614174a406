/** What a client of the stack on this machine has to know. */
export const laptop = {
  port: 8787,
  /** The bearer that stands for a request signed with AWS credentials: a dashboard session of `dev-key`'s project. */
  dashboard: "dev-dashboard",
} as const;
