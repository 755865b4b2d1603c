export { Page } from './absent.tsx';
