import { useIntersection } from '@mantine/hooks'
import {
  IconAdjustmentsHorizontal,
  IconFileText,
  IconHeartbeat,
  IconKey,
  IconLayersIntersect,
  type Icon as IconOf,
  IconPhotoOff,
  IconReportMedical,
  IconTargetArrow,
  IconVolume,
} from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import css from './thumbnail.module.css'
import { usePicture } from './use-picture.ts'

/** Objects without pixels, by the modality of their series (PS3.3 C.7.3.1.1.1). */
const KINDS = {
  audio: { icon: IconVolume, modalities: ['AU'] },
  document: { icon: IconFileText, modalities: ['DOC'] },
  keyObjects: { icon: IconKey, modalities: ['KO'] },
  plan: { icon: IconTargetArrow, modalities: ['PLAN', 'RTPLAN', 'RTRECORD', 'RTSTRUCT'] },
  presentation: { icon: IconAdjustmentsHorizontal, modalities: ['PR'] },
  registration: { icon: IconLayersIntersect, modalities: ['FID', 'REG', 'RWV', 'SEG'] },
  report: { icon: IconReportMedical, modalities: ['SR'] },
  waveform: { icon: IconHeartbeat, modalities: ['ECG', 'EEG', 'EPS', 'HD', 'RESP'] },
} as const satisfies Record<
  string,
  { readonly icon: IconOf; readonly modalities: readonly string[] }
>
type Kind = keyof typeof KINDS

const kindOf = (modality: string): Kind | undefined =>
  (Object.keys(KINDS) as Kind[]).find((kind) =>
    (KINDS[kind].modalities as readonly string[]).includes(modality),
  )

/**
 * A small picture of images, or what they are instead of images. What it shows is said beside it.
 * @param modalities of all that it stands for
 * @param side in pixels; from 64 on there is room for words
 */
export function Thumbnail({
  address,
  modalities,
  side,
}: {
  address: string
  modalities: readonly string[]
  side: number
}) {
  const kinds = modalities.map(kindOf)
  const kind = kinds.every((one) => one !== undefined) ? kinds[0] : undefined
  return (
    <span className={css.frame} style={{ width: side, height: side }}>
      {kind === undefined ? (
        <Picture address={address} side={side} />
      ) : (
        <ThumbnailFallback
          icon={KINDS[kind].icon}
          text={t(`ui.common.thumbnail.kinds.${kind}`)}
          isWritten={side >= 64}
        />
      )}
    </span>
  )
}

function Picture({ address, side }: { address: string; side: number }) {
  const { ref, entry } = useIntersection()
  const picture = usePicture(address, entry?.isIntersecting ?? false)
  return (
    <span ref={ref} className={css.picture}>
      {picture.hasFailed ? (
        <ThumbnailFallback
          icon={IconPhotoOff}
          text={t('ui.common.thumbnail.none')}
          isWritten={side >= 64}
        />
      ) : (
        picture.src && (
          <img
            src={picture.src}
            alt=""
            draggable={false}
            onLoad={picture.onLoad}
            onError={picture.onError}
          />
        )
      )}
    </span>
  )
}

function ThumbnailFallback({
  icon: Icon,
  text,
  isWritten,
}: {
  icon: IconOf
  text: string
  isWritten: boolean
}) {
  return (
    <span className={css.instead} title={isWritten ? undefined : text}>
      <Icon size={isWritten ? 26 : 20} stroke={1.5} {...(isWritten && { 'aria-hidden': true })} />
      {isWritten && <span>{text}</span>}
    </span>
  )
}
