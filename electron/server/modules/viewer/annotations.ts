import type { Context } from '#server/context.ts'
import {
  annotationRevision,
  findAnnotations,
  putAnnotations,
} from '#server/modules/images/annotation-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ANNOTATION_CHARACTERS, type Annotations } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { ViewRecord } from './queries.ts'

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
  return new ApiError('malformed', message('viewer.annotations-too-long', { characters }), {
    errors: [
      {
        path: 'body.annotations',
        message: message('viewer.annotations-limit', { most: ANNOTATION_CHARACTERS, characters }),
      },
    ],
  })
}

const savedSince = (read: number, now: number) =>
  new ApiError('refused', message('viewer.annotations-saved-since', { read, now }), {
    errors: [
      { path: 'body.revision', message: message('viewer.revision-not-current', { read, now }) },
    ],
  })
