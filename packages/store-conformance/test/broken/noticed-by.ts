/** The cases that each broken store fails. */
export const noticedBy: Readonly<Record<string, readonly string[]>> = {};
