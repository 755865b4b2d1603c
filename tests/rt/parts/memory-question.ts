/** What the probe in a process under test listens for. Apart, because importing the probe installs it. */
export const MEMORY_QUESTION = 'rt:memory';
