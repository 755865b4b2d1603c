/** The page to return to after signing in elsewhere, as the API takes it: short, and of few characters. */
const MAX_LENGTH = 300;
const OTHER_CHARACTER = /[^A-Za-z0-9/_.~%?=&:,+-]/gu;

const escaped = (character: string): string =>
  [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');

/** `target`: below the console. A page that is too long to be taken along becomes the start page; a fragment stays behind. */
export function returnPage(target: string): string {
  const page = `/console${target.split('#')[0]}`.replaceAll(OTHER_CHARACTER, escaped);
  return page.length > MAX_LENGTH ? '/console/' : page;
}
