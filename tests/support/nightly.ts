/** Whether to run all cases, however long it takes; set by `npm run nightly`. */
export const NIGHTLY: boolean = process.env['TRIVIUM_NIGHTLY'] === '1';

const NIGHTS_WORTH = 20;

/** Number of generated cases: many more in nightly runs. */
export const runs = (count: number): number => (NIGHTLY ? NIGHTS_WORTH * count : count);
