import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PhantomSeries, phantomSlice, phantomSopUid } from '#electron/simulator/partner.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import type { Peer } from '#server/dicom/scu/requestor.ts'
import { sendInstances } from '#server/dicom/scu/store.ts'
import type { WorklistExam } from '#server/dicom/scu/worklist.ts'

/** Number of slices of a simulated exam. */
const SLICE_COUNT = 12

/** The series of a simulated exam. An exam of another modality than MR has CT images. */
export function simulatedSeries(exam: WorklistExam): PhantomSeries {
  const { studyInstanceUid, startDate, description, modality, ...patient } = exam
  return {
    ...patient,
    ...{ studyInstanceUid, seriesInstanceUid: `${studyInstanceUid}.1`, slices: SLICE_COUNT },
    ...{ studyDate: startDate, studyDescription: description, seriesDescription: description },
    modality: modality === 'MR' ? 'MR' : 'CT',
  }
}

/**
 * Sends generated images with the identity of an exam, as a CT or MR does.
 * @returns how many images the peer stored
 * @throws the error of the first image that failed
 */
export async function performExam(
  peer: Peer,
  callingAeTitle: string,
  exam: WorklistExam,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'isthmus-simulator-'))
  try {
    const instances = await writeSlices(folder, exam)
    let stored = 0
    for await (const result of sendInstances({ peer, callingAeTitle }, instances)) {
      if (result.outcome === 'failed') throw result.error
      if (result.outcome === 'sent') stored += 1
    }
    return stored
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes generated slices with the identity of an exam to files. */
async function writeSlices(folder: string, exam: WorklistExam) {
  const series = simulatedSeries(exam)
  const numbers = Array.from({ length: SLICE_COUNT }, (_, index) => index + 1)
  return Promise.all(
    numbers.map(async (number) => {
      const path = join(folder, `${phantomSopUid(series, number)}.dcm`)
      await writeFile(path, Buffer.concat(phantomSlice(series, number)))
      return { path, ...(await readFileMeta(path)) }
    }),
  )
}
