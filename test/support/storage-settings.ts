// The settings with which a facade, or the edge function `media`, uses an object storage.

export type StorageSettings = {
  STORAGE_URL: string
  STORAGE_BUCKET: string
  STORAGE_REGION: string
  STORAGE_ACCESS_KEY: string
  STORAGE_SECRET_KEY: string
  STORAGE_PUBLIC_URL: string
}

/** A bucket that Kith doesn't use, as a project may have. */
export const OTHER = 'kith-other'
