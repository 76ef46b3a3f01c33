import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ANNOTATION_CHARACTERS, type Annotations } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { annotationRevision, findAnnotations, putAnnotations, type ViewRecord } from './queries.ts'

type OfView = Pick<ViewRecord, 'viewId' | 'userId'>

/**
 * What people draw on images: kept for each person and study; of a view that nobody is named for,
 * until it ends.
 */
export interface AnnotationsOfViews {
  read(view: OfView, studyInstanceUid: string): Annotations
  /**
   * `revision` is the one that was read; the answer is the new one.
   * @throws ApiError refused: another window has saved since; malformed: too long
   */
  save(
    view: OfView,
    studyInstanceUid: string,
    annotations: Annotations,
  ): { readonly revision: number }
}

/** Whose annotations those of the view are. */
export const ownerOfAnnotations = ({ viewId, userId }: OfView): string => userId ?? `view ${viewId}`

export function openAnnotations({
  store,
  clock,
}: Pick<DomainDeps, 'store' | 'clock'>): AnnotationsOfViews {
  const { database } = store
  return {
    read: (view, studyInstanceUid) =>
      (findAnnotations(database, studyInstanceUid, ownerOfAnnotations(view)) as
        | Annotations
        | undefined) ?? {
        revision: 0,
        annotations: [],
      },

    save: (view, studyInstanceUid, { revision: read, annotations }) =>
      database.transaction(() => {
        const characters = JSON.stringify(annotations).length
        if (characters > ANNOTATION_CHARACTERS) throw tooLong(characters)
        const owner = ownerOfAnnotations(view)
        const now = annotationRevision(database, studyInstanceUid, owner)
        if (read !== now) throw savedSince(read, now)
        putAnnotations(database, {
          studyInstanceUid,
          owner,
          revision: now + 1,
          annotations,
          updatedAt: instantOf(clock()),
        })
        return { revision: now + 1 }
      }),
  }
}

function tooLong(characters: number): ApiError {
  const most = `at most ${ANNOTATION_CHARACTERS} characters as JSON`
  return new ApiError(
    'malformed',
    `The annotations have ${characters} characters: take some away.`,
    {
      errors: [{ path: 'body.annotations', message: `must have ${most}, not ${characters}` }],
    },
  )
}

const savedSince = (read: number, now: number) =>
  new ApiError(
    'refused',
    `Another window has saved annotations of this study since: revision ${now} is kept, and these go on from ${read}.`,
    {
      errors: [
        {
          path: 'body.revision',
          message: `must be ${now}, not ${read}: read what is kept, then save again`,
        },
      ],
    },
  )
