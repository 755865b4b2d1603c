/** Whether everything is to be tried, however long it takes: `npm run nightly` says so. */
export const NIGHTLY: boolean = process.env['TRIVIUM_NIGHTLY'] === '1';
