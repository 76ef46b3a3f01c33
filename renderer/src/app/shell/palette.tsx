import { Loader, Modal, TextInput, VisuallyHidden } from '@mantine/core'
import {
  IconArrowRight,
  IconBolt,
  IconDeviceDesktopAnalytics,
  IconFileDescription,
  IconHistory,
  IconLink,
  IconLock,
  IconSearch,
  IconUser,
  type Icon as TablerIcon,
} from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { Fragment, type KeyboardEvent, useId, useState } from 'react'
import { mayManage, type Session } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { useShortcutGroups } from '../../ui/shortcuts.ts'
import { KeyNames } from './key-names.tsx'
import css from './palette.module.css'
import {
  actionsFor,
  linksFor,
  type PaletteGroup,
  type PaletteItem,
  screensFor,
} from './palette-items.ts'
import { recentChoices, rememberChoice } from './recent.ts'
import { isForManagers } from './screens.ts'
import { useFound } from './use-found.ts'

const ICONS: Readonly<Record<PaletteGroup, TablerIcon>> = {
  recent: IconHistory,
  links: IconLink,
  actions: IconBolt,
  screens: IconArrowRight,
  studies: IconFileDescription,
  people: IconUser,
  devices: IconDeviceDesktopAnalytics,
}
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 8,
  PageUp: -8,
}

/**
 * One field for everything: screens, what the present screen can do, studies, people, devices, ids.
 * ARIA: combobox with a listbox.
 */
export function Palette({ session, onClose }: { session: Session; onClose: () => void }) {
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const router = useRouter()
  const isManager = mayManage(session.user)
  // As they were when it was opened: the palette itself has none.
  const [groups] = useState(useShortcutGroups())
  const found = useFound(query, isManager)
  const text = query.trim()
  const items: readonly PaletteItem[] =
    text === ''
      ? [...recentItems(), ...actionsFor('', groups), ...screensFor('')]
      : [
          ...linksFor(text, window.location.origin),
          ...screensFor(text),
          ...actionsFor(text, groups),
          ...found.items,
        ]
  const chosen = Math.min(at, items.length - 1)
  const optionId = (index: number) => `${id}-${index}`

  const choose = (item: PaletteItem) => {
    onClose()
    if (item.href !== undefined) {
      if (item.group !== 'recent')
        rememberChoice({ href: item.href, name: item.name, about: item.about })
      router.history.push(item.href)
    }
    // Once the palette is gone: what runs may open a dialog or take the focus.
    if (item.run) setTimeout(item.run, 0)
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = STEPS[event.key]
    const item = items[chosen]
    if (step !== undefined && items.length > 0) {
      event.preventDefault()
      const next =
        Math.abs(step) === 1
          ? (chosen + step + items.length) % items.length
          : Math.min(items.length - 1, Math.max(0, chosen + step))
      setAt(next)
      document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && item) {
      event.preventDefault()
      choose(item)
    }
  }

  return (
    <Modal.Root
      opened
      onClose={onClose}
      size={680}
      yOffset="10vh"
      centered={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label={t('ui.shell.palette.label')} radius="lg">
        <TextInput
          size="lg"
          variant="unstyled"
          className={css.field}
          leftSection={<IconSearch size={19} stroke={1.7} aria-hidden />}
          rightSection={found.isSearching ? <Loader size="xs" /> : null}
          placeholder={t('ui.shell.palette.placeholder')}
          aria-label={t('ui.shell.palette.label')}
          role="combobox"
          aria-expanded={items.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          {...(items.length > 0 && { 'aria-activedescendant': optionId(chosen) })}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={press}
        />
        <div
          role="listbox"
          id={`${id}-list`}
          aria-label={t('ui.shell.palette.label')}
          className={css.list}
        >
          {items.map((item, index) => (
            <Fragment key={item.id}>
              {items[index - 1]?.group !== item.group && (
                <div role="presentation" className={css.group}>
                  {t(`ui.shell.palette.${item.group}`)}
                </div>
              )}
              <Option
                id={optionId(index)}
                item={item}
                isChosen={index === chosen}
                isLocked={!isManager && item.href !== undefined && isForManagers(item.href)}
                onPoint={() => setAt(index)}
                onChoose={() => choose(item)}
              />
            </Fragment>
          ))}
        </div>
        {items.length === 0 && !found.isSearching && (
          <div className={css.none}>
            <b>{t('ui.shell.palette.none')}</b>
            {t('ui.shell.palette.noneText')}
          </div>
        )}
        {found.hasFailed && <div className={css.none}>{t('ui.shell.palette.failed')}</div>}
        <VisuallyHidden role="status">
          {found.isSearching
            ? t('ui.shell.palette.searching')
            : items.length === 0
              ? t('ui.shell.palette.none')
              : ''}
        </VisuallyHidden>
        <Foot />
      </Modal.Content>
    </Modal.Root>
  )
}

const recentItems = (): readonly PaletteItem[] =>
  recentChoices().map((recent) => ({ id: `recent ${recent.href}`, group: 'recent', ...recent }))

interface OptionProps {
  readonly id: string
  readonly item: PaletteItem
  readonly isChosen: boolean
  readonly isLocked: boolean
  readonly onPoint: () => void
  readonly onChoose: () => void
}

function Option({ id, item, isChosen, isLocked, onPoint, onChoose }: OptionProps) {
  const Icon = isLocked ? IconLock : ICONS[item.group]
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the field
    <div
      role="option"
      id={id}
      aria-selected={isChosen}
      className={css.option}
      onMouseMove={onPoint}
      onClick={onChoose}
    >
      <Icon size={17} stroke={1.7} aria-hidden />
      <span className={css.name}>{item.name}</span>
      <span className={css.about}>{isLocked ? t('ui.shell.lockedFor') : item.about}</span>
      {item.keys !== undefined && <KeyNames keys={item.keys} />}
    </div>
  )
}

function Foot() {
  return (
    <div className={css.foot} aria-hidden>
      <KeyNames keys="arrowup" /> <KeyNames keys="arrowdown" /> {t('ui.shell.palette.foot.0')}
      <KeyNames keys="enter" /> {t('ui.shell.palette.foot.1')}
      <KeyNames keys="escape" /> {t('ui.shell.palette.foot.2')}
    </div>
  )
}
