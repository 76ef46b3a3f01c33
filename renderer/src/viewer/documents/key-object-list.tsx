import { Button, Group, Loader, Select } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconPhotoOff } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { t } from '../../i18n/t.ts'
import { Notice } from '../../ui/tone.tsx'
import type { StackImage } from '../engine/stack.ts'
import { nameOf } from '../overlay-text.ts'
import { foundImage, showInstance } from '../show-instance.ts'
import {
  useActivePaneId,
  useImages,
  usePaneState,
  useViewerContext,
  useViewerState,
} from '../viewer-context.ts'
import { absentCount, keyStackOf, selectionsOf } from './key-images.ts'
import css from './key-object-list.module.css'
import { useKeyImages, useKeySteps } from './use-key-images.ts'

const ALL = 'all'

/** The key images of the view: all, or those of one selection. */
export function KeyObjectList() {
  const { viewerStore } = useViewerContext()
  const images = useImages()
  const keys = useKeyImages()
  const of = useViewerState((state) => state.keySelection)
  const step = useKeySteps()
  const { selections, failed } = keys
  const chosen = selections.filter(({ mediaId }) => of === null || mediaId === of)
  const stack = keyStackOf(images, keys, of)
  const absent = absentCount(images, chosen)
  return (
    <>
      {selections.length > 1 && (
        <Select
          size="xs"
          mb="sm"
          label={t('ui.viewer.keyObjects.filter')}
          value={of === null ? ALL : String(of)}
          allowDeselect={false}
          data={[
            { value: ALL, label: t('ui.viewer.keyObjects.all') },
            ...selections.map(({ mediaId, title, images: { length } }) => ({
              value: String(mediaId),
              label: t('ui.viewer.keyObjects.option', { title, count: length }),
            })),
          ]}
          onChange={(value) =>
            viewerStore.set({
              keySelection: value === null || value === ALL ? null : Number(value),
            })
          }
        />
      )}
      {chosen.map(({ mediaId, title, description }) => (
        <section key={mediaId} className={css.about}>
          <h3>{title}</h3>
          {description && <p>{description}</p>}
        </section>
      ))}
      {failed.length > 0 && (
        <Notice tone="warning">{t('ui.viewer.keyObjects.failed', { count: failed.length })}</Notice>
      )}
      {stack.length > 1 && (
        <Group gap="xs" mb="xs">
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconChevronLeft size={14} />}
            onClick={() => step(-1)}
          >
            {t('ui.viewer.keyObjects.back')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            rightSection={<IconChevronRight size={14} />}
            onClick={() => step(1)}
          >
            {t('ui.viewer.keyObjects.on')}
          </Button>
        </Group>
      )}
      <ul className={css.list}>
        {stack.map((image) => (
          <li key={image.imageId}>
            <Item image={image} />
          </li>
        ))}
      </ul>
      {absent > 0 && (
        <p className={css.quiet}>{t('ui.viewer.keyObjects.absent', { count: absent })}</p>
      )}
    </>
  )
}

function Item({ image }: { image: StackImage }) {
  const viewerContext = useViewerContext()
  const images = useImages()
  const keys = useKeyImages()
  const picture = usePicture(image)
  const shown = usePaneState(useActivePaneId(), (state) => state.image?.imageId)
  const found = foundImage(images, image.sopInstanceUid, image.frame)
  return (
    <button
      type="button"
      className={css.item}
      aria-current={shown === image.imageId}
      onClick={() => showInstance(viewerContext, image.sopInstanceUid, image.frame)}
    >
      <span className={css.picture}>
        {picture === 'none' ? (
          <IconPhotoOff size={20} aria-hidden />
        ) : picture ? (
          <img src={picture} alt="" />
        ) : (
          <Loader size={14} color="gray" />
        )}
      </span>
      <span>
        {found &&
          t('ui.viewer.drawings.where', { series: nameOf(found.series), number: found.index + 1 })}
        <span className={css.quiet}>
          {selectionsOf(keys, image)
            .map(({ title }) => title)
            .join(', ')}
        </span>
      </span>
    </button>
  )
}

/** The picture of one image; `none` where it cannot be shown. */
function usePicture(image: StackImage): string | 'none' | undefined {
  const { engine, list } = useViewerContext()
  const [picture, setPicture] = useState<string>()
  const { imageId, sopInstanceUid, frame } = image
  useEffect(() => {
    const found = foundImage(list.state(), sopInstanceUid, frame)
    const one = found?.series.stack[found.index]
    if (!found || !one) return
    const abortController = new AbortController()
    engine.thumbnail({ ...found.series, key: imageId, stack: [one] }, abortController.signal).then(
      (url) => !abortController.signal.aborted && setPicture(url),
      () => !abortController.signal.aborted && setPicture('none'),
    )
    return () => abortController.abort()
  }, [engine, list, imageId, sopInstanceUid, frame])
  return picture
}
