import type { Context } from '#server/context.ts'
import {
  annotationRevision,
  findAnnotations,
  putAnnotations,
} from '#server/modules/images/annotation-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { type Annotations, MAX_ANNOTATION_CHARACTERS } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { ViewRecord } from './queries.ts'

// Annotations on images. They are stored per user and study; those of a view without a user are
// deleted when the view ends.

type AnnotatedView = Pick<ViewRecord, 'viewId' | 'userId'>

/** The owner of the annotations of a view. */
export const ownerOfAnnotations = ({ viewId, userId }: AnnotatedView): string =>
  userId ?? `view ${viewId}`

export const readAnnotations = (
  { database }: Context,
  view: AnnotatedView,
  studyInstanceUid: string,
): Annotations =>
  (findAnnotations(database, studyInstanceUid, ownerOfAnnotations(view)) as
    | Annotations
    | undefined) ?? { revision: 0, annotations: [] }

/**
 * Saves annotations. `revision` is the one that was read; the new one is returned.
 * @throws ApiError refused: another window has saved in the meantime; malformed: too long
 */
export const saveAnnotations = (
  { database, clock }: Context,
  view: AnnotatedView,
  studyInstanceUid: string,
  { revision: read, annotations }: Annotations,
) =>
  database.transaction(() => {
    const characters = JSON.stringify(annotations).length
    if (characters > MAX_ANNOTATION_CHARACTERS) throw tooLongError(characters)
    const owner = ownerOfAnnotations(view)
    const now = annotationRevision(database, studyInstanceUid, owner)
    if (read !== now) throw savedSinceError(read, now)
    const revision = now + 1
    const updatedAt = instantOf(clock())
    putAnnotations(database, { studyInstanceUid, owner, revision, annotations, updatedAt })
    return { revision }
  })

function tooLongError(characters: number): ApiError {
  return new ApiError('malformed', message('viewer.annotations-too-long', { characters }), {
    errors: [
      {
        path: 'body.annotations',
        message: message('viewer.annotations-limit', {
          most: MAX_ANNOTATION_CHARACTERS,
          characters,
        }),
      },
    ],
  })
}

const savedSinceError = (read: number, now: number) =>
  new ApiError('refused', message('viewer.annotations-saved-since', { read, now }), {
    errors: [
      { path: 'body.revision', message: message('viewer.revision-not-current', { read, now }) },
    ],
  })
