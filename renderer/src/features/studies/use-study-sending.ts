import { scribe } from '#shared/contract/scribe.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { viewer } from '#shared/contract/viewer.ts'
import type { StudyId } from '#shared/ids.ts'
import type { ProblemError } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { LIST_CHANGES } from '../../ui/study-list/use-study-list.ts'

const CHANGES = [...LIST_CHANGES, scribe.read, viewer.read]

/** The body was parsed by the area's own operation. */
type Body = never

/** Makes a study of either area, or changes one. */
export function useStudySending() {
  const made = { scribe: useSend(scribe.create, CHANGES), viewer: useSend(viewer.create, CHANGES) }
  const changed = {
    scribe: useSend(scribe.update, CHANGES),
    viewer: useSend(viewer.update, CHANGES),
  }
  const calls = [made.scribe, made.viewer, changed.scribe, changed.viewer]
  return {
    error: calls.find((one) => one.error !== null)?.error ?? (null as ProblemError | null),
    isBusy: calls.some((one) => one.isPending),
    reset() {
      for (const one of calls) one.reset()
    },
    /** @param studyId of the study to change; null makes one */
    send(
      area: StudyArea,
      studyId: StudyId | null,
      body: Readonly<Record<string, unknown>>,
      onDone: (studyId: StudyId) => void,
    ) {
      const options = { onSuccess: (study: { readonly studyId: StudyId }) => onDone(study.studyId) }
      if (studyId === null) made[area].mutate({ body: body as Body }, options)
      else changed[area].mutate({ params: { studyId }, body: body as Body }, options)
    },
  }
}
