import { ActionIcon, Button, Loader, Tooltip } from '@mantine/core'
import { IconDownload, IconX } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { ViewMedia } from '#shared/contract/viewed-images.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { t } from '../i18n/t.ts'
import { Notice } from '../ui/tone.tsx'
import { mediaName } from './documents/media-name.ts'
import css from './media-beside.module.css'
import { useImages, useViewerContext, useViewerState } from './viewer-context.ts'

// Most studies have none of them.
const ReportView = lazy(() => import('./documents/report-view.tsx'))
const WaveformView = lazy(() => import('./documents/waveform-view.tsx'))

/** A report, document, picture or video beside the images; without images in their place. */
export function MediaBeside() {
  const { viewerStore } = useViewerContext()
  const mediaId = useViewerState((state) => state.mediaId)
  // Texts and pictures of a document may name the patient anywhere.
  const isAnonymous = useViewerState((state) => state.isAnonymous)
  const { media, studies } = useImages()
  const shown = media.find((one) => one.mediaId === mediaId)
  if (!shown) return null
  const name = mediaName(shown)
  const hasImages = studies.some(({ series }) => series.length > 0)
  return (
    <section
      className={css.beside}
      data-alone={!hasImages || undefined}
      aria-label={t('ui.viewer.media.frame', { name })}
    >
      <header className={css.head}>
        <span>{name}</span>
        <Tooltip
          label={t('ui.viewer.toolbar.withKey', { label: t('ui.viewer.media.close'), keys: 'Esc' })}
        >
          <ActionIcon
            size="md"
            aria-label={t('ui.viewer.media.close')}
            onClick={() => viewerStore.set({ mediaId: null })}
          >
            <IconX size={17} />
          </ActionIcon>
        </Tooltip>
      </header>
      {isAnonymous ? (
        <Notice tone="info">{t('ui.viewer.media.hidden')}</Notice>
      ) : (
        <Suspense fallback={<Loader size="sm" m="md" />}>
          <Medium key={shown.mediaId} medium={shown} name={name} />
        </Suspense>
      )}
    </section>
  )
}

function Medium({ medium, name }: { medium: ViewMedia; name: string }) {
  const { viewerStore } = useViewerContext()
  const { shownAs, object, mediaId } = medium
  if (object && shownAs === 'report') return <ReportView sopInstanceUid={object.sopInstanceUid} />
  if (object && shownAs === 'waveform')
    return <WaveformView sopInstanceUid={object.sopInstanceUid} />
  return (
    <FileView
      medium={medium}
      address={viewPaths.media(viewerStore.view.viewId, mediaId)}
      name={name}
    />
  )
}

function FileView({ medium, address, name }: { medium: ViewMedia; address: string; name: string }) {
  // Browsers do not play MPEG-2; of the others it depends on the browser and the PC.
  const [isBroken, setIsBroken] = useState(medium.mimeType === 'video/mpeg')
  const onError = () => setIsBroken(true)
  if (isBroken)
    return (
      <Notice
        tone="warning"
        actions={
          <Button
            component="a"
            size="compact-sm"
            variant="default"
            href={address}
            download={medium.fileName || name}
            leftSection={<IconDownload size={14} />}
          >
            {t('ui.viewer.media.save')}
          </Button>
        }
      >
        {medium.shownAs === 'video' ? t('ui.viewer.media.notPlayed') : t('ui.viewer.media.broken')}
      </Notice>
    )
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
