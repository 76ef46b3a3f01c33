import { dataSetIn, partsIn } from '../../flows/dicomweb-fixture.ts'
import { hashOf } from '../reader.ts'
import type { YearImage } from './studies.ts'

const TYPE = 'multipart/related; type="application/dicom"; transfer-syntax=*'

/**
 * Reads a study from the gateway by WADO-RS, which fetches what is not on the disk. What is missing
 * or not the same as it was sent, in sentences.
 */
export async function readStudy(
  http: string,
  key: string,
  images: readonly YearImage[],
): Promise<string[]> {
  const [first] = images
  if (!first) return []
  const { studyInstanceUid } = first
  const response = await fetch(`${http}/dicom-web/studies/${studyInstanceUid}`, {
    headers: { accept: TYPE, authorization: `Bearer ${key}` },
  })
  const { status, headers } = response
  const bytes = Buffer.from(await response.arrayBuffer())
  if (status !== 200) return [`${studyInstanceUid} cannot be read: ${status} ${bytes}`]
  const read = new Set(
    partsIn({ status, headers, bytes }).map(({ content }) => hashOf(dataSetIn(content))),
  )
  return images
    .filter(({ dataSet }) => !read.has(dataSet))
    .map(({ sopInstanceUid }) => `${sopInstanceUid} was not read as it was sent`)
}
