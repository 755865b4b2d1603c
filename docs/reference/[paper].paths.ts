import { papersOf } from '../.vitepress/papers.ts';

export default { paths: () => papersOf('reference') };
