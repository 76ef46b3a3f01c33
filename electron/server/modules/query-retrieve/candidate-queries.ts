import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import {
  type ImageHeader,
  type StoredImageStudy,
  storedHeaderOf,
} from '#server/modules/studies/image-study-row.ts'
import type { FoundStudy } from './found.ts'

type Row = Pick<
  StoredImageStudy,
  'studyInstanceUid' | 'sealedHeader' | 'sealedHandedOut' | 'instances' | 'series' | 'modalities'
> & { number: number }

const MODALITIES = `(select group_concat(modality, '\\') from (
  select distinct modality from imageSeries r
  where r.studyInstanceUid = s.studyInstanceUid and r.instances > 0 and modality <> '' order by modality))`
const SELECT = `select n.number, s.studyInstanceUid, s.sealedHeader, s.sealedHandedOut, s.instances, s.series,
    ifnull(${MODALITIES}, '') as modalities
  from imageStudyNumbers n cross join imageStudies s using (studyInstanceUid)
  where n.number < ? and s.instances > 0`
const BATCH = 100

/** Studies with images that may match, in batches, the most recently created first. */
export function* studyCandidates(
  database: Database,
  studyUids: readonly string[] | undefined,
): Generator<readonly FoundStudy[], void, void> {
  const condition = studyUids ? ' and s.studyInstanceUid in (select value from json_each(?))' : ''
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = database.all(
      rawQuery<Row>(`${SELECT}${condition} order by n.number desc limit ${BATCH}`, [
        before,
        ...(studyUids ? [JSON.stringify(studyUids)] : []),
      ]),
    )
    yield rows.map((row) => foundStudyOf(database, row))
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    before = last.number
  }
}

function foundStudyOf(database: Database, row: Row): FoundStudy {
  const header: ImageHeader = storedHeaderOf(database.seal, row)
  const { studyInstanceUid, instances, series, modalities } = row
  return { studyInstanceUid, header, instances, series, modalities }
}
