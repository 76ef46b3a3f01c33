import { z } from 'zod'
import { hasSecret, readSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import { secretNameOf } from '#server/modules/tiers/stores.ts'
import { listTiers, type TierRecord } from '#server/modules/tiers/tier-queries.ts'
import { addTier, changeTier, removeTier } from '#server/modules/tiers/tier-settings.ts'
import { DicomwebSettings, NewTier, S3Settings, TierSettings } from '#shared/contract/tiers.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import { ACTOR } from './record-command.ts'

// Tiers in the configuration file: their settings beside their names, and the destination of a PACS
// by its name, since its id is another one on each gateway.

const { name, isEnabled, isAutomatic } = NewTier.shape
const common = { name, isEnabled, isAutomatic }
const KINDS = {
  s3: z.strictObject({ ...S3Settings.shape, ...common }),
  pacs: z.strictObject({
    kind: z.literal('pacs'),
    destination: z.string().trim().min(1),
    ...common,
  }),
  dicomweb: z.strictObject({ ...DicomwebSettings.shape, ...common }),
}

/** A tier as the file has it. */
export const TierEntry = z.discriminatedUnion('kind', [KINDS.s3, KINDS.pacs, KINDS.dicomweb])
export type TierEntry = z.output<typeof TierEntry>

/** What the file says of a tier: a field that it leaves out keeps its value. */
export const TierEntryPatch = z.discriminatedUnion('kind', [
  patchSchemaOf(KINDS.s3.shape),
  patchSchemaOf(KINDS.pacs.shape),
  patchSchemaOf(KINDS.dicomweb.shape),
])

function patchSchemaOf<Kind extends string>(shape: {
  readonly kind: z.ZodLiteral<Kind>
  readonly name: z.ZodType
}) {
  const optionalFields = Object.entries(shape).map(([field, type]) => {
    const inner = type instanceof z.ZodDefault ? (type.unwrap() as z.ZodType) : type
    return [field, inner.optional()]
  })
  const fields: Readonly<Record<string, z.ZodType>> = Object.fromEntries(optionalFields)
  return z.strictObject({ ...fields, kind: shape.kind, name })
}

/** The schema of a tier's fields, to leave out those with default values. */
export const schemaOfTier = ({ kind }: TierEntry): z.ZodObject => KINDS[kind]

export type KeptTier = TierEntry & { readonly tierId: string }

/** The tiers as the file names them, and how they are changed. */
export const tierRecordsOf = (context: Context) => ({
  kind: 'tier' as const,
  all: listTiers(context.database).map((tier) => entryOf(context, tier)),
  schema: TierEntry,
  nameOf: ({ name: given }: { readonly name?: string | undefined }) => `${given?.trim()}`,
  add: (entry: TierEntry) => addTier(context, newTierOf(context, entry), ACTOR),
  change(kept: KeptTier, patch: object) {
    const { kind } = patch as Pick<TierEntry, 'kind'>
    if (kind !== kept.kind)
      throw new ApiError(
        'refused',
        verbatim('the kind of a tier cannot be changed; remove it first'),
      )
    const entry = { ...kept, ...patch } as KeptTier
    return changeTier(context, kept.tierId, newTierOf(context, entry), ACTOR)
  },
  remove: ({ tierId }: KeptTier) => removeTier(context, tierId, ACTOR),
})

function entryOf({ database }: Context, tier: TierRecord): KeptTier {
  const { tierId, settings } = tier
  const fields = {
    tierId,
    name: tier.name,
    isEnabled: tier.isEnabled,
    isAutomatic: tier.isAutomatic,
  }
  if (settings.kind !== 'pacs') return { ...settings, ...fields }
  const { kind, destinationId } = settings
  const named = listDestinations(database).find((one) => one.destinationId === destinationId)
  return { ...fields, kind, destination: named?.name ?? destinationId }
}

function newTierOf({ database }: Context, entry: TierEntry): NewTier {
  const { name: given, isEnabled: isOn, isAutomatic: copiesNew, ...settings } = entry
  const tier = { name: given, isEnabled: isOn, isAutomatic: copiesNew, secret: undefined }
  if (settings.kind !== 'pacs') return { ...tier, settings: TierSettings.parse(settings) }
  const named = listDestinations(database).find(
    (one) => one.name.toUpperCase() === settings.destination.toUpperCase(),
  )
  if (!named)
    throw new ApiError('refused', verbatim(`no destination is named ${settings.destination}`))
  const { destinationId } = named
  return { ...tier, settings: { kind: 'pacs', destinationId } }
}

const TIER_PREFIX = 'tier.'
/** The name under which the file has the secret access key or password of a tier. */
export const TierSecretName = z.templateLiteral([TIER_PREFIX, z.string()])
type TierSecretName = z.output<typeof TierSecretName>

/** The names of the secrets of tiers that are set. */
export const storedTierSecretNames = (context: Context): TierSecretName[] =>
  listTiers(context.database)
    .filter(({ tierId }) => hasSecret(context, secretNameOf(tierId)))
    .map((tier): TierSecretName => `${TIER_PREFIX}${tier.name.replaceAll(/\s/g, ' ')}`)

/**
 * Sets the secret of the tier that it is named after, unless it has this one. Returns the change.
 * @throws ApiError refused: there is no such tier, or it has no secret
 */
export function applyTierSecret(context: Context, secretName: string, secret: string): string[] {
  const given = secretName.slice(TIER_PREFIX.length)
  const tier = listTiers(context.database).find(
    (one) => one.name.toUpperCase() === given.toUpperCase(),
  )
  if (!tier || tier.settings.kind === 'pacs')
    throw new ApiError('refused', verbatim('no object store or DICOMweb service has this name'))
  const before = readSecret(context, secretNameOf(tier.tierId))
  if (before === secret) return []
  const { name: itsName, isEnabled: isOn, isAutomatic: copiesNew, settings } = tier
  const wanted = { name: itsName, isEnabled: isOn, isAutomatic: copiesNew, settings, secret }
  changeTier(context, tier.tierId, wanted, ACTOR)
  return [`${before === undefined ? '+' : '~'} secret ${secretName}`]
}
