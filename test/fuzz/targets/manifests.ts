import { contentOf, manifestMatch } from '#server/modules/viewer/manifest.ts'
import { identitiesOf, matchNewUrls } from '#server/modules/viewer/partner-answer.ts'
import { readManifest } from '#server/webhooks/manifest.ts'
import { ViewedInstance, ViewedSeries } from '#shared/contract/viewed-images.ts'
import { englishText } from '#shared/messages/english.ts'
import { perTier } from '../../support/tier.ts'
import { jsonOf, mutateJsonInput } from '../mutate-json.ts'
import { hold, QUICK, same, type Target } from '../target.ts'

/**
 * Manifests of studies, and the URLs they come with: a document with `manifest`, `urls` and
 * `studyInstanceUid`.
 */
export const manifests: Target = {
  name: 'manifests',
  ...QUICK,
  mostBytes: 300 << 10,
  testExecutions: perTier(400, 8000),
  open: () => ({
    mutate: (input, random, other) => mutateJsonInput(input, random, other, manifests.mostBytes),
    run(input) {
      const document = jsonOf(input)
      const given = isObject(document) ? document : { manifest: document }
      const asked = typeof given.studyInstanceUid === 'string' ? given.studyInstanceUid : undefined
      const { manifest, notes } = readManifest(given.manifest, asked)
      for (const { sentence } of notes)
        hold(
          /^[A-Z].*\.$/.test(englishText(sentence)),
          `A note that is no sentence: ${englishText(sentence)}`,
        )
      hold(
        notes.length <= 101 && (manifest !== undefined || notes.length > 0),
        'A manifest is not used, and nobody is told why',
      )
      if (!manifest) return `unused ${notes.length > 1}`
      hold(asked === undefined || manifest.studyInstanceUID === asked, 'It is of another study')
      same(
        'A manifest that was read is read as another one',
        readManifest(JSON.parse(JSON.stringify(manifest)), asked),
        {
          manifest,
          notes: [],
        },
      )
      const { series, instances } = contentOf(manifest)
      for (const one of series)
        hold(ViewedSeries.safeParse(one).success, () => faultsOf(ViewedSeries.safeParse(one)))
      for (const one of instances)
        hold(ViewedInstance.safeParse(one).success, () => faultsOf(ViewedInstance.safeParse(one)))
      return `${series.length > 1} ${instances.length > 1} ${notes.length > 0} ${matched(given.urls, manifest)}`
    },
  }),
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const faultsOf = (parsed: {
  readonly error?:
    | {
        readonly issues: readonly {
          readonly path: readonly PropertyKey[]
          readonly message: string
        }[]
      }
    | undefined
}) =>
  `The list of a view would be refused: ${parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join(', ')}`

function matched(
  given: unknown,
  manifest: NonNullable<ReturnType<typeof readManifest>['manifest']>,
): string {
  const urls = Array.isArray(given)
    ? given.filter((url) => typeof url === 'string').slice(0, 500)
    : []
  const uids = manifest.series.flatMap(({ sops }) =>
    sops.map(({ sopInstanceUID }) => sopInstanceUID),
  )
  const match = manifestMatch(urls, [manifest], () => false)
  const indexes = uids.map((uid) => match.urlOf(uid))
  hold(
    indexes.every((index) => index === undefined || (index >= 0 && index < urls.length)),
    'An instance is at a URL that does not exist',
  )
  const named = urls.map((_, index) => match.namedBy(index)).filter((uid) => uid !== undefined)
  hold(
    new Set(named).size === named.length && named.every((uid) => uids.includes(uid)),
    'Two URLs name one instance, or one of nobody',
  )
  const identities = identitiesOf(urls)
  hold(identities.length === urls.length, 'A URL has no identity')
  same('The same URLs are not the same', matchNewUrls(identities, urls), urls)
  return named.length === 0 ? 'unnamed' : 'named'
}
