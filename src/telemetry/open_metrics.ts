/**
 * Measurements as text of OpenMetrics 1.0, for those who scrape `/metrics` and run no SDK.
 *
 * @module
 */

import { Gauge, Histogram, Registry } from "prom-client";
import {
  type Attributes,
  type GaugeName,
  GAUGES,
  type HistogramName,
  HISTOGRAMS,
  type InstrumentInfo,
  type Observation,
} from "./telemetry.ts";

/** The measurements of a runtime. */
export interface OpenMetrics {
  /** Adds a time in seconds. */
  record(name: HistogramName, seconds: number, attributes: Attributes): void;
  /** From now on a state is read by this function. */
  observe(name: GaugeName, read: () => Promise<readonly Observation[]>): void;
  /** The text, and its media type. */
  render(): Promise<{ readonly text: string; readonly type: string }>;
}

/** Begins to measure. */
export function createOpenMetrics(): OpenMetrics {
  const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const histograms = new Map<HistogramName, Histogram>();
  for (const [name, info] of Object.entries(HISTOGRAMS)) {
    const histogram = new Histogram({
      ...described(name, info),
      buckets: [...info.buckets],
      registers: [registry],
    });
    histograms.set(name as HistogramName, histogram);
  }
  return {
    record: (name, seconds, attributes) => histograms.get(name)!.observe(labelsOf(attributes), seconds),
    observe(name, read) {
      new Gauge({
        ...described(name, GAUGES[name]),
        registers: [registry],
        async collect() {
          this.reset();
          for (const { value, attributes = {} } of await read()) this.set(labelsOf(attributes), value);
        },
      });
    },
    render: async () => ({ text: await registry.metrics(), type: registry.contentType }),
  };
}

/** `http.server.request.duration` in seconds is `http_server_request_duration_seconds`. */
function described(
  name: string,
  { description, unit, attributes }: Pick<InstrumentInfo, "description" | "unit" | "attributes">,
): { name: string; help: string; labelNames: string[] } {
  const suffix = unit === "s" ? "_seconds" : "";
  return { name: toLabel(name) + suffix, help: description, labelNames: attributes.map(toLabel) };
}

function labelsOf(attributes: Attributes): Record<string, string | number> {
  const labels: Record<string, string | number> = {};
  for (const name in attributes) labels[toLabel(name)] = String(attributes[name]);
  return labels;
}

/** Each measurement has some; there are few names. */
const LABELS: Map<string, string> = new Map();

function toLabel(name: string): string {
  let label = LABELS.get(name);
  if (label === undefined) LABELS.set(name, label = name.replaceAll(".", "_"));
  return label;
}
