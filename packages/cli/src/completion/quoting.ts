// Texts inside single quotes of a shell.

/** For bash and zsh, which have no escapes there. */
export const inQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const inFishQuotes = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
