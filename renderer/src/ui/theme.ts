import {
  type ActionIconProps,
  type ButtonProps,
  type CSSVariablesResolver,
  createTheme,
  type DrawerProps,
  type InputWrapperProps,
  type MantineColorsTuple,
  type ModalProps,
  type NotificationProps,
  type PasswordInputProps,
  type SegmentedControlProps,
  type TooltipProps,
} from '@mantine/core'
import { t } from '../i18n/t.ts'

// Petrol: calm beside the greys of a console, and far from the tones that carry meaning (green,
// amber, red).
const petrol: MantineColorsTuple = [
  '#eef7f8',
  '#d9ecee',
  '#b0d8dc',
  '#83c2c9',
  '#57aab4',
  '#338f9b',
  '#1b7885',
  '#0e6472',
  '#0b4f5a',
  '#083c45',
]
const red: MantineColorsTuple = [
  '#fdf1ef',
  '#fadedb',
  '#f4b8b2',
  '#ec8d84',
  '#e2655a',
  '#d2453a',
  '#c0332a',
  '#a82820',
  '#8c211b',
  '#6f1a15',
]
const dark: MantineColorsTuple = [
  '#dbe4e7',
  '#bccacf',
  '#a2b3b9',
  '#61737a',
  '#3b4a50',
  '#2a373c',
  '#202b30',
  '#151d21',
  '#10171a',
  '#0b1013',
]

/** The head of a dialog is no banner: that is the landmark of the page. */
const NO_BANNER_ROLE = { header: { role: 'none' } }

/**
 * What `Component.extend` gives, without the component: the first screen need not load what it does
 * not show.
 */
const part = <P>(changes: {
  readonly defaultProps?: Partial<P>
  readonly styles?: Readonly<Record<string, Readonly<Record<string, string | number>>>>
}) => changes

export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 6 },
  colors: { petrol, red, dark },
  fontFamily:
    "'Inter Variable', system-ui, 'Segoe UI', 'Noto Sans', 'Noto Sans CJK JP', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '19px' },
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '21px', lineHeight: '1.3' },
      h2: { fontSize: '16px', lineHeight: '1.35' },
      h3: { fontSize: '14px', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: part<ButtonProps>({ defaultProps: { size: 'sm' } }),
    ActionIcon: part<ActionIconProps>({
      defaultProps: { variant: 'subtle', color: 'gray', size: 'lg' },
    }),
    InputWrapper: part<InputWrapperProps>({
      styles: { description: { fontSize: '12px', lineHeight: 1.4 }, error: { fontSize: '12px' } },
    }),
    Modal: part<ModalProps>({
      styles: { title: { fontWeight: 620, fontSize: '16px' } },
      defaultProps: {
        attributes: NO_BANNER_ROLE,
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': t('ui.common.close') },
      },
    }),
    Drawer: part<DrawerProps>({
      styles: { title: { fontWeight: 620, fontSize: '16px' } },
      defaultProps: {
        attributes: NO_BANNER_ROLE,
        position: 'right',
        overlayProps: { backgroundOpacity: 0.35 },
        closeButtonProps: { 'aria-label': t('ui.common.close') },
      },
    }),
    Notification: part<NotificationProps>({
      defaultProps: { closeButtonProps: { 'aria-label': t('ui.common.close') } },
    }),
    PasswordInput: part<PasswordInputProps>({
      defaultProps: {
        visibilityToggleButtonProps: { 'aria-label': t('ui.common.showPassword') },
      },
    }),
    SegmentedControl: part<SegmentedControlProps>({
      styles: {
        root: { background: 'var(--tone-plain-soft)' },
        indicator: { background: 'var(--chosen)' },
      },
    }),
    Tooltip: part<TooltipProps>({
      defaultProps: { withArrow: true, openDelay: 250, multiline: true, maw: 380 },
    }),
  },
})

/** Mantine's dimmed, placeholder and error texts do not reach 4.5:1 (WCAG 1.4.3); these do. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#17262b',
    '--mantine-color-dimmed': '#51636a',
    '--mantine-color-placeholder': '#66777d',
    '--mantine-color-error': '#a82820',
    '--mantine-color-default-border': '#ccd7da',
    '--mantine-color-anchor': '#0b5b68',
  },
  dark: {
    '--mantine-color-body': '#151d21',
    '--mantine-color-text': '#dbe4e7',
    '--mantine-color-dimmed': '#a2b3b9',
    '--mantine-color-placeholder': '#93a5ab',
    '--mantine-color-error': '#f4a59d',
    '--mantine-color-default-border': '#3b4a50',
    '--mantine-color-anchor': '#83c2c9',
    // Mantine's light buttons are darker than the panels they stand on.
    '--mantine-color-petrol-light': '#1a3d44',
    '--mantine-color-petrol-light-hover': '#20494f',
    '--mantine-color-petrol-light-color': '#b4dde2',
  },
})
