package wire

import "slices"

// Names are the names of the members that are read of many objects, and the slots of their values. Every member of
// every object is looked up, and most of them are not read, so a lookup must be cheaper than with a map.
type Names struct {
	list    []string
	buckets [buckets]uint8 // 1 + the index of the first name with the hash; 0 for none
	next    []uint8        // 1 + the index of the next name with the same hash; 0 for none
}

const buckets = 64

func hash[T string | []byte](name T) uint8 {
	if len(name) == 0 {
		return 0
	}
	return (uint8(len(name))*7 ^ name[0]*3 ^ name[len(name)-1] ^ name[len(name)/2]*5) % buckets
}

// Add returns the slot of a name, and assigns one if the name is new.
func (n *Names) Add(name string) int {
	if i := n.find([]byte(name)); i >= 0 {
		return i
	}
	h := hash(name)
	n.list = append(n.list, name)
	n.next = append(n.next, n.buckets[h])
	n.buckets[h] = uint8(len(n.list)) // no type of the schema has 255 fields
	return len(n.list) - 1
}

// find returns the slot of a name, or -1 if it is not selected.
func (n *Names) find(name []byte) int {
	for i := n.buckets[hash(name)]; i > 0; i = n.next[i-1] {
		if n.list[i-1] == string(name) {
			return int(i - 1)
		}
	}
	return -1
}

// Append appends the values of an object's members to the list, by their slots: the zero Value for an absent one. The
// value must be an object.
func (n *Names) Append(list []Value, object Value) []Value {
	base := len(list)
	list = slices.Grow(list, len(n.list))[:base+len(n.list)]
	slots := list[base:]
	clear(slots)
	members, _ := object.Members()
	next := 0 // the slot after the last one: many readers add names in the order in which the APIs send members
	for members.Next() {
		name, slot := members.Name(), next
		if slot == len(slots) || n.list[slot] != string(name) {
			slot = n.find(name)
		}
		if slot >= 0 {
			slots[slot] = members.Value() // of two members with the same name, the last one counts
			next = slot + 1
		}
	}
	return list
}
