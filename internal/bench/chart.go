package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// chartConnections are those whose figures are drawn.
const chartConnections = 16

// The measures of the chart, in pixels.
const (
	chartWidth, chartHeight     = 760, 400
	plotLeft, plotRight         = 56, 744
	plotTop, plotBottom         = 72, 330
	barWidth, barGap, labelRise = 34, 4, 5
)

// chartStyle is readable on white and on black: a page that shows the chart as an image passes on which of them it has.
const chartStyle = `<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.grid { stroke: #8b949e; stroke-opacity: .35 }
.floor { fill: #8b949e }
.fast { fill: #2da44e }
.reference { fill: #d4792c }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>
`

// series are the servers that are drawn, and their classes in chartStyle.
func series() []struct{ server, class string } {
	return []struct{ server, class string }{{floorName, "floor"}, {fastPath, "fast"}, {reference, "reference"}}
}

// chart draws the processor time of a request: a group of bars for each query, on a logarithmic scale.
func (r *results) chart() string {
	least, most := r.scale()
	height := func(cost float64) float64 {
		return (math.Log10(cost) - least) / (most - least) * (plotBottom - plotTop)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-labelledby="t">`+"\n", chartWidth, chartHeight)
	b.WriteString(chartStyle)
	fmt.Fprintf(&b, `<text id="t" class="title" x="%d" y="24">Processor time per request, microseconds, %d connections</text>`+"\n", plotLeft, chartConnections)
	for decade := least; decade <= most; decade++ {
		cost := math.Pow(10, decade)
		y := plotBottom - height(cost)
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1[3]f"/>`+"\n", plotLeft, plotRight, y)
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%.0f</text>`+"\n", plotLeft-8, y+4, cost)
	}
	for i, s := range series() {
		x := plotLeft + i*130
		fmt.Fprintf(&b, `<rect class="%s" x="%d" y="38" width="12" height="12"/><text x="%d" y="49">%s</text>`+"\n", s.class, x, x+18, s.server)
	}
	group := float64(plotRight-plotLeft) / float64(len(r.queries))
	for i, q := range r.queries {
		middle := plotLeft + group*(float64(i)+.5)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", middle, plotBottom+20, q.name)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", middle, plotBottom+36, q.short)
		for j, s := range series() {
			cost := r.cost(q, s.server)
			x := middle + (float64(j)-float64(len(series()))/2)*(barWidth+barGap) + barGap/2
			fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%d" height="%.1f"/>`+"\n", s.class, x, plotBottom-height(cost), barWidth, height(cost))
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%.0f</text>`+"\n", x+barWidth/2, plotBottom-height(cost)-labelRise, cost)
		}
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n</svg>\n", plotLeft, chartHeight-8, "A logarithmic scale: each line is ten times the one below it.")
	return b.String()
}

// cost is what is drawn, in microseconds; 1 at least, for the scale.
func (r *results) cost(q query, server string) float64 {
	return max(1, float64(r.figures[cell{q.name, server, chartConnections}].cpu)/float64(time.Microsecond))
}

// scale is the powers of ten that all costs lie between: a whole one below, and some room above for the last number.
func (r *results) scale() (least, most float64) {
	low, high := math.Inf(1), 1.0
	for _, q := range r.queries {
		for _, s := range series() {
			cost := r.cost(q, s.server)
			low, high = min(low, cost), max(high, cost)
		}
	}
	const room = 0.2
	least = math.Floor(math.Log10(low))
	return least, max(least, math.Log10(high)) + room
}
