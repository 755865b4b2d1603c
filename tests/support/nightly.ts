/** Whether everything is to be tried, however long it takes: `npm run nightly` says so. */
export const NIGHTLY: boolean = process.env['TRIVIUM_NIGHTLY'] === '1';

const NIGHTS_WORTH = 20;

/** How many generated cases to try: many more at night. */
export const runs = (count: number): number => (NIGHTLY ? NIGHTS_WORTH * count : count);
