import type { ImageStudySummary } from '#shared/contract/images.ts'
import { useZone } from '../../api/status.ts'
import { arrivalOf, ENRICHMENT_BADGES, imageCountText, shareOf } from '../../format/image-states.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { IdentityTag } from '../../ui/identity-tag.tsx'
import { Tag } from '../../ui/tone.tsx'
import css from './images.module.css'

/**
 * How many of a study's images are here; a bar where their number was announced and some are
 * missing.
 */
export function ArrivalState({ study }: { study: ImageStudySummary }) {
  const share = shareOf(study)
  return (
    <>
      <span className="tabular">{imageCountText(study)}</span>
      {share !== null && study.state !== 'complete' && (
        <span
          className={css.progress}
          role="img"
          aria-label={t('ui.images.arrived', { share })}
          data-tone={study.state === 'receiving' ? 'info' : 'warning'}
        >
          <span style={{ width: `${share}%` }} />
        </span>
      )}
    </>
  )
}

/** The badges of a study: how it arrives, and what a person should look at. */
export function ImageTags({ study }: { study: ImageStudySummary }) {
  const zone = useZone()
  const arrival = arrivalOf(study, zone, new Date())
  const { state, detail } = study.enrichment
  const enrichment = ENRICHMENT_BADGES[state]
  return (
    <span className={css.tags}>
      <Tag tone={arrival.tone} meaning={arrival.meaning} isWrapped>
        {arrival.name}
      </Tag>
      <IdentityTag state={study.identity} isUnscheduled={study.isUnscheduled} />
      {study.quarantined > 0 && (
        <Tag tone="warning" meaning={t('ui.images.setAsideMeaning')}>
          {t('ui.images.setAside', { count: study.quarantined })}
        </Tag>
      )}
      {state !== 'not-asked' && (
        <Tag
          tone={enrichment.tone}
          meaning={detail ? translateMessage(detail) : enrichment.meaning}
        >
          {enrichment.name}
        </Tag>
      )}
    </span>
  )
}
