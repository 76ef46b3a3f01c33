import { goldenSealed, made, type Rows } from './clinic.ts'

/**
 * Schema 6: searching. The words of these rows were not made yet: an update to this release that
 * was cut off leaves it so.
 */
export function searchRows(): Rows {
  return {
    searchFill: [
      { what: 'studies', below: 4 },
      { what: 'images', below: 2 },
    ],
    savedViews: [
      {
        ...{
          savedViewId: 'sv1',
          ownerId: 'usr_1',
          list: 'studies',
          area: 'scribe',
          name: 'Mine',
          sortOrder: 'newest',
          isShared: 1,
          ...made,
        },
        sealedFilter: goldenSealed({ text: 'meyer' }, 'saved view sv1'),
      },
    ],
  }
}
