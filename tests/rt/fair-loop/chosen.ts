/** Parts whose names begin with one of the words of TRIVIUM_RT_ONLY, which commas separate; all without it. */
export const isChosen = ({ name }: { readonly name: string }): boolean => {
  const only = process.env['TRIVIUM_RT_ONLY'];
  return only === undefined || only.split(',').some((word) => name.startsWith(word.trim()));
};
