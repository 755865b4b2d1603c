/** Saved views of the console's lists: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, listOfItems, moment, name, Page } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

const page = Type.Enum(['requests', 'usage'], { description: 'The page whose filters it has.' });
const MAX_SEARCH = 2000;
const SHARED = 'All members of the account see it.';

export const SavedView = Type.Object(
  {
    id: Type.String(),
    page,
    name,
    search: Type.String({
      maxLength: MAX_SEARCH,
      pattern: FORMS.plainText,
      description: 'Filters, range and columns, as in the address of the page after `?`.',
    }),
    shared: Type.Boolean({ description: SHARED }),
    owner: Type.String({ description: 'The actor that saved it: `operator`, `member:<id>` or `key:<id>`.' }),
    own: Type.Boolean({ description: 'It was saved by the caller.' }),
    createdAt: moment('Creation time.'),
  },
  { ...closed, $id: 'SavedView' },
);
export const NewView = Type.Object(
  {
    page,
    name,
    search: SavedView.properties.search,
    shared: Type.Boolean({ default: false, description: SHARED }),
  },
  closed,
);
export const ViewSearch = Type.Object({ page: Type.Optional(page), limit: Page.properties.limit }, closed);
export const SavedViews = listOfItems(SavedView);

export type SavedView = Static<typeof SavedView>;
