import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import type { KnownInstance } from './view-images.ts'

/**
 * The patient and study attributes for an object that is made of a shown image. The patient is
 * taken from the image, which may differ from that of its study.
 * @param archived the header of the study in the archive, if any
 */
export function patientAndStudyOf(
  { study, instance }: Pick<KnownInstance, 'study' | 'instance'>,
  archived: ImageHeader | undefined,
) {
  const { isPrior: _, studyInstanceUid: __, ...attributes } = { ...study, ...instance.patient }
  const { studyId = '', referringPhysicianName = '', institutionName = '' } = archived ?? {}
  return { ...attributes, studyId, referringPhysicianName, institutionName }
}

/** The header of a study that the archive does not have. */
export const studyHeader = (
  known: ReturnType<typeof patientAndStudyOf> & { readonly modality: string },
): ImageHeader => ({
  patientSize: '',
  patientWeight: '',
  patientAge: '',
  requestedProcedureDescription: '',
  requestedProcedureId: '',
  scheduledProcedureStepId: '',
  requestStudyInstanceUid: '',
  characterSetRule: '',
  ...known,
})
