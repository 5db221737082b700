// The parts from which every page is made: Preact with tagged templates instead of JSX, and signals for its state.
export { computed, effect, type ReadonlySignal, type Signal, signal, useComputed, useSignal } from '@preact/signals'
export { html } from 'htm/preact'
export { type ComponentChildren, type ComponentType, render, type VNode } from 'preact'
export { useEffect, useMemo, useRef } from 'preact/hooks'
