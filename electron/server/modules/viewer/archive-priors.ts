import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/callers.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import { canSeeImages, requireCanManageImages } from '#server/modules/images/image-studies.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import type { ArchivePrior } from '#shared/contract/hanging-protocols.ts'
import type { Retrieval, viewing } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import { isSamePatient, patientOfView } from './priors.ts'

// Prior studies that are in other archives: found by C-FIND and retrieved by C-MOVE, with the rights
// that the same functions of the window require.

export type PriorArchives = Pick<Forwarding, 'list' | 'findPriors' | 'pull'> & {
  readonly pulls: Pick<Forwarding['pulls'], 'list'>
}

/** Whether the user of the view may query other archives, and there is one. */
export const canQueryArchives = (
  context: Context,
  archives: PriorArchives,
  view: OpenView,
): boolean =>
  mayQuery(context, view) &&
  archivesOf(archives).length > 0 &&
  (patientOfView(context, view)?.patientId.trim() ?? '') !== ''

const archivesOf = (archives: PriorArchives) =>
  archives.list().destinations.filter(({ isEnabled, hasPriors }) => isEnabled && hasPriors)

function mayQuery(context: Context, view: OpenView): boolean {
  try {
    requireCanQuery(context, view)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/**
 * Returns the user. It is unknown whose patients another archive contains, so querying it requires
 * access to all studies. A link is limited to its own study.
 * @throws ApiError not-permitted
 */
function requireCanQuery(context: Context, { kind, user }: OpenView) {
  if (kind !== 'window' || !user)
    throw new ApiError('not-permitted', message('viewer.link-has-no-archive'))
  requireCanManageImages(context, windowCaller(context)(user))
  return user
}

/**
 * Queries every archive for studies of the patient of the view, without the study of the view.
 * An archive that fails is reported beside the results of the others.
 * @throws ApiError not-permitted; refused: the images have no patient ID
 */
export async function queryPriors(
  context: Context,
  archives: PriorArchives,
  view: OpenView,
): Promise<ReplyOf<(typeof viewing)['queryPriors']>> {
  const { userId } = requireCanQuery(context, view)
  const patient = patientOfView(context, view)
  if (!patient || patient.patientId.trim() === '')
    throw new ApiError('refused', message('viewer.priors-need-patient-id'))
  const keys = {
    patientId: patient.patientId.trim(),
    patientName: '',
    accessionNumber: '',
    startDate: null,
    endDate: null,
  }
  const replies = await Promise.all(
    archivesOf(archives).map(async ({ destinationId, name }) => {
      try {
        const { studies } = await archives.findPriors(destinationId, keys, userActor(userId))
        const priors = studies.filter(
          (study) =>
            study.studyInstanceUid !== view.studyInstanceUid && isSamePatient(patient, study),
        )
        return { priors: priors.map((study) => ({ ...study, destinationId, name })), faults: [] }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return { priors: [], faults: [{ destinationName: name, explanation: error.explanation }] }
      }
    }),
  )
  const studies = replies.flatMap(({ priors }) => priors)
  return {
    studies: studies
      .map(
        ({ name, studyInstanceUid, studyDescription, modalities, ...rest }): ArchivePrior => ({
          ...{ destinationId: rest.destinationId, destinationName: name, studyInstanceUid },
          ...{ studyDescription, modalities, studyDate: rest.studyDate },
          ...{ instances: rest.instances, here: rest.here },
        }),
      )
      .sort((a, b) => b.studyDate.localeCompare(a.studyDate)),
    faults: replies.flatMap(({ faults }) => faults),
  }
}

/** Starts the retrieval of a study from an archive. @throws ApiError not-permitted, refused */
export function retrievePrior(
  context: Context,
  archives: PriorArchives,
  view: OpenView,
  { destinationId, studyInstanceUid }: CallOf<(typeof viewing)['retrievePrior']>['body'],
): Retrieval {
  const { userId } = requireCanQuery(context, view)
  return retrievalOf(archives.pull(destinationId, studyInstanceUid, userActor(userId)))
}

/** Retrievals of studies that the user may see, newest first. @throws ApiError not-permitted */
export function listRetrievals(
  context: Context,
  archives: PriorArchives,
  view: OpenView,
): Retrieval[] {
  const caller = windowCaller(context)(requireCanQuery(context, view))
  return archives.pulls
    .list()
    .filter(({ studyInstanceUid }) => canSeeImages(context, caller, studyInstanceUid))
    .map(retrievalOf)
}

const retrievalOf = ({
  studyInstanceUid,
  destinationName,
  state,
  completed,
  failed,
  remaining,
  detail,
}: Retrieval): Retrieval => ({
  ...{ studyInstanceUid, destinationName, state, completed, failed, remaining, detail },
})
