import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'

/** Modalities and description, without naming the modality twice. */
export const examText = ({ modalities, studyDescription }: WindowStudy): string =>
  modalities.length === 0 || modalities.some((one) => studyDescription.startsWith(one))
    ? studyDescription
    : `${modalities.join(', ')} ${studyDescription}`
