/** The message for the probe in a process under test. In its own file, because importing the probe installs it. */
export const MEMORY_QUESTION = 'rt:memory';
