import { ActionIcon, Tooltip } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useState } from 'react'
import type { ViewMedia } from '#shared/contract/viewed-images.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { t } from '../i18n/t.ts'
import { Notice } from '../ui/tone.tsx'
import { useBench, useDesk, useImages } from './desk-context.ts'
import css from './media-beside.module.css'
import { mediaName } from './media-list.tsx'

/** A document, picture or video beside the images. */
export function MediaBeside() {
  const { desk } = useBench()
  const mediaId = useDesk((state) => state.mediaId)
  const { media } = useImages()
  const shown = media.find((one) => one.mediaId === mediaId)
  if (!shown) return null
  const name = mediaName(shown)
  return (
    <section className={css.beside} aria-label={t('ui.viewer.media.frame', { name })}>
      <header className={css.head}>
        <span>{name}</span>
        <Tooltip
          label={t('ui.viewer.toolbar.withKey', { label: t('ui.viewer.media.close'), keys: 'Esc' })}
        >
          <ActionIcon
            size="md"
            aria-label={t('ui.viewer.media.close')}
            onClick={() => desk.set({ mediaId: null })}
          >
            <IconX size={17} />
          </ActionIcon>
        </Tooltip>
      </header>
      <Medium
        key={shown.mediaId}
        medium={shown}
        address={viewPaths.media(desk.view.viewId, shown.mediaId)}
        name={name}
      />
    </section>
  )
}

function Medium({ medium, address, name }: { medium: ViewMedia; address: string; name: string }) {
  const [isBroken, setIsBroken] = useState(false)
  const onError = () => setIsBroken(true)
  if (isBroken) return <Notice tone="warning">{t('ui.viewer.media.broken')}</Notice>
  if (medium.shownAs === 'pdf')
    return (
      <iframe className={css.page} src={address} title={t('ui.viewer.media.frame', { name })} />
    )
  if (medium.shownAs === 'image')
    return (
      <img
        className={css.picture}
        src={address}
        alt={t('ui.viewer.media.picture', { name })}
        onError={onError}
      />
    )
  return (
    // biome-ignore lint/a11y/useMediaCaption: a clinical video, such as of a catheter, comes without captions
    <video
      className={css.picture}
      src={address}
      controls
      aria-label={t('ui.viewer.media.video', { name })}
      onError={onError}
    />
  )
}
