import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ANNOTATION_CHARACTERS, type Annotations } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { annotationRevision, findAnnotations, putAnnotations, type ViewRecord } from './queries.ts'

// What people draw on images: kept for each person and study; of a view that nobody is named for,
// until it ends.

type OfView = Pick<ViewRecord, 'viewId' | 'userId'>

/** Whose annotations those of the view are. */
export const ownerOfAnnotations = ({ viewId, userId }: OfView): string => userId ?? `view ${viewId}`

export const readAnnotations = (
  { database }: Context,
  view: OfView,
  studyInstanceUid: string,
): Annotations =>
  (findAnnotations(database, studyInstanceUid, ownerOfAnnotations(view)) as
    | Annotations
    | undefined) ?? { revision: 0, annotations: [] }

/**
 * `revision` is the one that was read; the answer is the new one.
 * @throws ApiError refused: another window has saved since; malformed: too long
 */
export const saveAnnotations = (
  { database, clock }: Context,
  view: OfView,
  studyInstanceUid: string,
  { revision: read, annotations }: Annotations,
) =>
  database.transaction(() => {
    const characters = JSON.stringify(annotations).length
    if (characters > ANNOTATION_CHARACTERS) throw tooLong(characters)
    const owner = ownerOfAnnotations(view)
    const now = annotationRevision(database, studyInstanceUid, owner)
    if (read !== now) throw savedSince(read, now)
    const revision = now + 1
    const updatedAt = instantOf(clock())
    putAnnotations(database, { studyInstanceUid, owner, revision, annotations, updatedAt })
    return { revision }
  })

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
