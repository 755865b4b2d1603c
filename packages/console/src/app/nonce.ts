/** The nonce of the page's content security policy, for the style elements that Radix adds. Imported before anything else. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
// The global variable in which libraries look for it.
if (nonce !== undefined && nonce !== '') Object.assign(globalThis, { __webpack_nonce__: nonce });
