import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HttpApp } from '../../electron/server/http/http-app.ts'
import { Dicomweb } from '../../electron/server/modules/dicomweb/routes.ts'
import {
  RETRIEVAL_ATTRIBUTES,
  type RetrievalAttribute,
} from '../../electron/server/modules/query-retrieve/attributes.ts'
import { MAX_ENTITIES } from '../../electron/server/modules/query-retrieve/entity-query.ts'
import { table } from './markdown.ts'
import { matchIn } from './source.ts'

const KEYS: Readonly<Record<RetrievalAttribute['key'], string>> = {
  U: 'unique',
  R: 'required',
  O: 'optional',
}

const tagText = (tag: number): string => {
  const digits = tag.toString(16).padStart(8, '0').toUpperCase()
  return `(${digits.slice(0, 4)},${digits.slice(4)})`
}

/** The attributes of Query/Retrieve and QIDO-RS, in the order of the levels. */
export const retrievalKeyTable = (): string =>
  table(
    ['level', 'attribute', 'tag', 'VR', 'key'],
    [...RETRIEVAL_ATTRIBUTES.values()].map(({ level, keyword, tag, vr, key }) => [
      level,
      keyword,
      tagText(tag),
      vr,
      KEYS[key],
    ]),
  )

const numberIn = (file: string, name: string): string => {
  const [, digits = ''] = matchIn(file, new RegExp(`${name} = ([\\d_]+)`))
  return Number(digits.replaceAll('_', '')).toLocaleString('en')
}

/** Limits of Query/Retrieve and DICOMweb. */
export const retrievalLimitTable = (): string => {
  const retrievals = 'modules/query-retrieve/retrievals.ts'
  return table(
    ['what', 'limit', 'if exceeded'],
    [
      [
        'matches of a query that is not limited to one study',
        MAX_ENTITIES.toLocaleString('en'),
        'A700 after the matches; by QIDO-RS a Warning header',
      ],
      ['instances of one C-MOVE or C-GET', numberIn(retrievals, 'MAX_INSTANCES'), 'A701'],
      [
        'retrievals at the same time',
        numberIn(retrievals, 'MAX_RUNNING_RETRIEVALS'),
        'the request waits',
      ],
    ],
  )
}

/** What a resource is, by the end of its path. */
const RESOURCES: readonly (readonly [end: RegExp, service: string, what: string])[] = [
  [/\/metadata$/, 'WADO-RS', 'metadata: `application/dicom+json`, with BulkDataURI'],
  [/\/thumbnail$/, 'WADO-RS', 'thumbnail: `image/jpeg`, `image/png`'],
  [/\/rendered$/, 'WADO-RS', 'rendered: `image/jpeg`, `image/png`; quality, viewport, window'],
  [
    /\/frames\/:rest$/,
    'WADO-RS',
    'frames: uncompressed, or in the media type of their compression',
  ],
  [/\/bulkdata\/:rest$/, 'WADO-RS', 'bulk data: `application/octet-stream`'],
  [/\/(studies|series|instances)$/, 'QIDO-RS', 'search: `application/dicom+json`'],
  [/./, 'WADO-RS', 'instances: `multipart/related; type="application/dicom"`'],
]

/** Every resource of DICOMweb, as `dicomweb/routes.ts` registers it. */
export function dicomwebTable(): string {
  const app = { declared: [], fastify: { register: () => undefined } }
  // No request is answered, and the folder does not exist.
  const nothing = {
    folder: join(tmpdir(), 'isthmus-no-folder'),
    database: { subscribe: () => () => undefined },
  } as never
  new Dicomweb(nothing, nothing, nothing, nothing).serve(app as unknown as HttpApp)
  const declared: HttpApp['declared'] = app.declared
  return table(
    ['service', 'resource', 'representation', 'permission of the API key'],
    declared.map(({ method, path }) => {
      const resource = `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``
      if (method === 'POST')
        return ['STOW-RS', resource, '`multipart/related; type="application/dicom"`', '`store`']
      const [, service = '', what = ''] = RESOURCES.find(([end]) => end.test(path)) ?? []
      return [service, resource, what, '`read`']
    }),
  )
}
